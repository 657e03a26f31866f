/** Where z.ai keeps what we look for. Data; ordered, the first that matches something visible is taken. */
export const PLACES = {
  composer: ['textarea#chat-input', 'form textarea'],
  form: 'form',
  attachments: '[data-testid="file-item"], button[aria-label^="Remove file" i], button[aria-label^="Remove image" i]',
  send: ['button#send-message-button'],
  stop: ['button#stop-generation-button'],
  user: '.user-message',
  assistant: '.chat-assistant',
  words: { user: '.user-message', assistant: '.markdown-prose' },
  written: '.chat-user',
  notText: ['button', '[data-herdr]', '.thinking-chain', 'details[type="reasoning"]', '.code-toolbar'],
  // A long block is drawn as far as it is looked at; empty boxes keep the place of the rest, between lines and inside one.
  code: { block: '.cm-editor, pre', line: '.cm-line', gap: '.cm-gap, .cm-line > div:empty' },
  streaming: '.chat-assistant[data-generating="true"], .thinking-chain[data-running="true"]',
  asks: '[role="dialog"], [role="alertdialog"]',
  /** Its id is `message-<id>`. */
  message: '[id^="message-"]',
} as const;

export const LABELS = {
  send: ['send message', 'send', '送信', '发送', '发送消息'],
  stop: ['stop', 'stop generating', '停止', '停止生成'],
} as const;
