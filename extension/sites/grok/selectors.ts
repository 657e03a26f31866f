/** Where Grok keeps what we look for. Data; ordered, the first that matches something visible is taken. */
export const PLACES = {
  composer: [
    '[data-testid="chat-input"] .ProseMirror[contenteditable="true"]',
    '[data-testid="chat-input"][contenteditable="true"]',
  ],
  form: 'form',
  attachments: '[data-testid="file-attachment"], button[aria-label^="Remove" i]',
  send: ['button[data-testid="chat-submit"]'],
  stop: ['button[data-testid="chat-stop"]'],
  user: '[data-testid="user-message"]',
  assistant: '[data-testid="assistant-message"]',
  words: { user: '.response-content-markdown', assistant: '.response-content-markdown' },
  notText: ['button', '[data-herdr]', '[aria-hidden="true"]', '.thinking-container'],
  streaming:
    '[data-testid="assistant-message"][data-is-streaming="true"], [data-testid="assistant-message"] [aria-busy="true"]',
  asks: '[role="dialog"], [role="alertdialog"]',
  /** Its id is `response-<uuid>`. */
  response: '[id^="response-"]',
} as const;

export const LABELS = {
  send: ['submit', 'send', '送信', '提交', '发送'],
  stop: ['stop model response', 'stop', 'モデルの応答を停止', '停止', '停止模型响应'],
} as const;
