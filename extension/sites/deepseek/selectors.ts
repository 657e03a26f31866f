/** Where DeepSeek keeps what we look for. Data; ordered, the first that matches something visible is taken. */
const ANSWER = '.ds-assistant-message-main-content, .ds-think-content, .ds-loading';

export const PLACES = {
  composer: ['textarea[name="search"]', 'textarea#chat-input'],
  form: 'form, .ds-chat-input',
  attachments: '.ds-file-card, button[aria-label^="Remove" i]',
  /** Most days it names its button in no way; then Enter sends. */
  send: ['[role="button"][data-testid="send-button"]'],
  stop: ['[role="button"][data-testid="stop-button"]'],
  user: `.ds-message:not(:has(${ANSWER}))`,
  assistant: `.ds-message:has(${ANSWER})`,
  words: { user: '.ds-message', assistant: '.ds-assistant-message-main-content' },
  written: '.ds-user-text',
  notText: ['button', '[role="button"]', '[data-herdr]', '.ds-think-content', '.md-code-block-banner'],
  code: { block: 'pre' },
  streaming: '.ds-loading, .ds-cursor, .ds-message [class*="blink"]',
  asks: '[role="dialog"], [role="alertdialog"]',
  /** Where a message's number in its chat stands, on the days that the page shows it. */
  numbered: '[data-virtual-list-item-key], [data-message-id]',
} as const;

export const LABELS = {
  send: ['send', 'send message', '送信', '发送'],
  stop: ['stop', 'stop generating', '停止', '停止生成'],
} as const;
