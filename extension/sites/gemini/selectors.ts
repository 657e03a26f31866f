/** Where Gemini keeps what we look for. Data; ordered, the first that matches something visible is taken. */
export const PLACES = {
  composer: ['rich-textarea .ql-editor[contenteditable="true"]', '.ql-editor[contenteditable="true"]'],
  form: 'input-area-v2, .input-area-container, form',
  attachments: 'uploader-file-preview, .file-preview-chip, button[aria-label^="Remove" i]',
  send: ['button.send-button.submit'],
  stop: ['button.send-button.stop'],
  user: 'user-query',
  assistant: 'model-response',
  words: { user: '.query-text', assistant: 'message-content .markdown' },
  /** Gemini shows what was asked a paragraph a line, blank ones too. */
  line: 'p.query-text-line',
  notText: ['button', '[data-herdr]', '[aria-hidden="true"]', '.cdk-visually-hidden', 'model-thoughts'],
  streaming: 'model-response [aria-busy="true"], .loading-indicator, bard-avatar .thinking',
  account: 'a[href^="https://accounts.google.com/SignOutOptions"][aria-label]',
  signIn: 'a[href^="https://accounts.google.com/ServiceLogin"]',
  asks: '[role="dialog"], [role="alertdialog"]',
  /** Holds one question and its answer, under the id that the server gave to both. */
  exchange: '.conversation-container',
} as const;

export const LABELS = {
  send: ['send message', 'メッセージを送信', '发送消息', '发送'],
  stop: ['stop response', '回答を停止', '停止回答', '停止'],
} as const;
