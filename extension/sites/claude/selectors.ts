/** Where Claude keeps what we look for. Data; ordered, the first that matches something visible is taken. */
export const PLACES = {
  composer: [
    '[data-testid="chat-input"][contenteditable="true"]',
    '[data-testid="chat-input"] [contenteditable="true"]',
    'fieldset div.ProseMirror[contenteditable="true"]',
  ],
  form: 'fieldset, form',
  attachments: '[data-testid="file-thumbnail"], [data-testid="attachment-thumbnail"], button[aria-label^="Remove" i]',
  send: ['button[data-testid="send-button"]', 'button[aria-label="Send message" i]'],
  stop: ['button[data-testid="stop-button"]', 'button[aria-label="Stop response" i]'],
  user: '[data-testid="user-message"]',
  assistant: '.font-claude-response',
  words: { user: 'p.whitespace-pre-wrap', assistant: '.standard-markdown, .progressive-markdown' },
  notText: ['button', '[data-herdr]', '[aria-hidden="true"]', '[data-testid="tool-use"]'],
  streaming: '[data-is-streaming="true"], [data-perf-row-streaming="true"]',
  asks: '[role="dialog"], [role="alertdialog"]',
  row: '[data-testid="transcript-row"]',
  header: 'header',
  projectLink: 'header a[href^="/project/"]',
} as const;

export const LABELS = {
  send: ['send message', 'メッセージを送信', '发送消息'],
  stop: ['stop response', 'stop', '応答を停止', '停止响应', '停止'],
} as const;
