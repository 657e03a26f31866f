/**
 * Where ChatGPT keeps what we look for. Data: ordered, the first that matches something visible is taken. Labels are
 * compared in lower case with what a control says of itself (`aria-label`, else its text), in English, Japanese, Chinese.
 */
export const SELECTORS = {
  composer: ['#prompt-textarea[contenteditable="true"]'],
  form: 'form',
  /** What stands beside the words and goes out with them: a tile has its class, and a button that takes it away again. */
  attachments:
    '[class*="group/file-tile"], [data-testid="composer-pasted-text-card"], button[aria-label^="Remove file" i], button[aria-label^="Remove attachment" i]',
  /** Test ids first: they do not depend on the page's language. */
  send: ['button[data-testid="send-button"]', 'button[data-testid="composer-send-button"]'],
  stop: ['button[data-testid="stop-button"]'],
  plus: ['#composer-plus-btn'],
  /** The menu of the chat that is shown; each row of the list of chats has one of its own. */
  chatOptions: ['button[data-testid="conversation-options-button"]'],
  menu: ['[role="menu"]', '[role="listbox"]'],
  menuItem: '[role="menuitem"], [role="menuitemradio"], [role="option"]',
  /** Of a switch between two modes; each says by its label which it is. */
  mode: '[role="radio"], input[type="radio"]',
  pill: '[data-inline-selection-pill][data-symbol="ecosystemMention"][data-keyword]',
  message: '[data-message-author-role]',
  turn: '[data-testid^="conversation-turn-"]',
  /** A turn of whichever generation of the page. */
  anyTurn: '[data-testid^="conversation-turn-"], [data-turn-id], [data-turn-key]',
  streaming: '[data-is-streaming="true"]',
  toolCard: '[class*="group/tool-message"]',
  /** What in a message is no words of its author. */
  notText: [
    '[data-testid="collapsible-user-message-toggle"]',
    '[class*="group/tool-message"]',
    '[data-herdr]',
    'button',
    '[data-inline-selection-pill]',
    '[role="alert"]',
    '[class*="text-token-text-error"]',
  ],
  /** Somebody's own words: a person's message, what the model wrote, a tool's arguments, a draft. No label of the site. */
  authored:
    '[data-message-author-role="user"], [class~="markdown"], [class~="prose"], pre, blockquote, textarea, [contenteditable="true"]',
  cardActions: '[data-testid="tool-action-buttons"]',
  dialogs: '[role="dialog"], [role="alertdialog"]',
  /** The site's own word that something failed. */
  notice: '[role="alert"], [class*="thread-error"], [class*="text-token-text-error"], [data-testid*="error"]',
  retry: ['button[data-testid="regenerate-thread-error-button"]'],
  projectLink: 'nav a[href*="/g/g-p-"]',
} as const;

export const LABELS = {
  chatMode: ['chat', 'チャット', '聊天'],
  workMode: ['work', 'ワーク', '作業', '工作'],
  chatOptions: ['open conversation options', '会話のオプションを開く', '打开对话选项'],
  archive: ['archive', 'archive chat', 'アーカイブする', 'アーカイブ', '归档', '存档'],
  retry: ['retry', 'try again', '再試行', '再試行する', 'もう一度試す', '重试', '再试一次'],
  send: ['send prompt', 'send message', 'send', 'プロンプトを送信する', '送信', '发送提示', '发送'],
  stop: [
    'stop streaming',
    'stop generating',
    'stop',
    'ストリーミングを停止',
    '生成を停止',
    '停止',
    '停止流式传输',
    '停止生成',
  ],
  /** A one-time allow. Whole labels: "Always allow" and "Allow for this chat" are a person's. */
  allowOnce: [
    'allow',
    'allow once',
    'approve',
    'confirm',
    '許可',
    '許可する',
    '一度だけ許可',
    '允许',
    '允许一次',
    '同意',
  ],
  deny: [
    'deny',
    'decline',
    'cancel',
    'reject',
    "don't allow",
    '拒否',
    'キャンセル',
    '許可しない',
    '拒绝',
    '取消',
    '不允许',
  ],
} as const;

/** What a label may say before the name: words of asking, and nothing that could be another tool's or its arguments. */
const BEFORE_THE_NAME = [
  '(?:allow|approve|confirm|confirmation|let|run|use|using|call|access|permission|permissions|required|needed|chatgpt)(?![a-z0-9])',
  '(?:wants?|would|like|requests?|to|the|an?|tools?|apps?|connector|action|from|with|via|for|of|do|you|please)(?![a-z0-9])',
  '許可|承認|実行|確認|使用|要求|ツール|アプリ|コネクタ|操作|して|する|の|を|は|が|に',
  '允许|批准|授权|想要|确认|是否|使用|运行|调用|请求|通过|工具|应用|操作|要|让',
].join('|');

/**
 * A card is ours when its label names `herdr` before anything else: "Allow herdr_exec to run?", "Herdr wants to …". A card
 * of another tool that only speaks of Herdr, in its arguments or otherwise, says another name first.
 */
export const NAMES_US = new RegExp(
  `^[\\s\\p{P}\\p{S}]*(?:(?:${BEFORE_THE_NAME})[\\s\\p{P}\\p{S}]*)*herdr(?:-mcp)?(?![a-z0-9@-]|\\.[a-z0-9])`,
  'iu',
);

/** What says that a permission is asked for. */
export const ASKS_PERMISSION =
  /\b(allow|approve|permission|wants to|confirm|run)\b|許可|承認|実行|允许|批准|授权|想要|确认/i;

/** What the site says, in lower case, when something of a turn failed. */
export const SAYS = {
  sendTimeout:
    /\b(?:message|request|send|sending)\b[^.]{0,40}\btimed? ?out\b|took too long to send|(?:发送|请求)(?:已)?超时|(?:送信|リクエスト)[^。]{0,12}タイムアウト/,
  interrupted:
    /connection (?:was |has been )?(?:lost|interrupted)|waiting for the (?:full|complete) (?:response|answer)|连接(?:已)?(?:中断|丢失|断开)|等待完整的?(?:回复|响应|回答)|接続が(?:切れ|失われ|中断)|完全な(?:応答|回答)を待/,
  tooMany:
    /too many requests|rate limit|making requests too quickly|请求(?:过于|太)?频繁|请求(?:过|太)多|速率限制|(?:リクエスト|要求)が多すぎ|レート制限/,
} as const;
