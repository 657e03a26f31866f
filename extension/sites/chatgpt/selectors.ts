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
  menu: ['[role="menu"]', '[role="listbox"]'],
  menuItem: '[role="menuitem"], [role="menuitemradio"], [role="option"]',
  pill: '[data-inline-selection-pill][data-symbol="ecosystemMention"][data-keyword]',
  message: '[data-message-author-role]',
  turn: '[data-testid^="conversation-turn-"]',
  streaming: '[data-is-streaming="true"]',
  toolCard: '[class*="group/tool-message"]',
  /** What in a message is no words of its author. */
  notText: [
    '[data-testid="collapsible-user-message-toggle"]',
    '[class*="group/tool-message"]',
    '[data-herdr]',
    'button',
    '[data-inline-selection-pill]',
  ],
  /** Somebody's own words: a person's message, what the model wrote, a tool's arguments, a draft. No label of the site. */
  authored:
    '[data-message-author-role="user"], [class~="markdown"], [class~="prose"], pre, blockquote, textarea, [contenteditable="true"]',
  cardActions: '[data-testid="tool-action-buttons"]',
  dialogs: '[role="dialog"], [role="alertdialog"]',
  projectLink: 'nav a[href*="/g/g-p-"]',
} as const;

export const LABELS = {
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
