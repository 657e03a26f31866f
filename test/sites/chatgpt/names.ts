/**
 * The names by which the page can be found. The real page renames them now and then: `renamed` is such a day, on which
 * what is found by name alone is not found at all.
 */
export interface Names {
  composerId: string;
  sendTestId: string;
  sendLabel: string;
  stopTestId: string;
  stopLabel: string;
  plusId: string;
  turnTestIdPrefix: string;
  cardActionsTestId: string;
  retryTestId: string;
  collapseTestId: string;
  optionsTestId: string;
  optionsLabel: string;
}

export const USUAL: Names = {
  composerId: 'prompt-textarea',
  sendTestId: 'send-button',
  sendLabel: 'Send prompt',
  stopTestId: 'stop-button',
  stopLabel: 'Stop streaming',
  plusId: 'composer-plus-btn',
  turnTestIdPrefix: 'conversation-turn-',
  cardActionsTestId: 'tool-action-buttons',
  retryTestId: 'regenerate-thread-error-button',
  collapseTestId: 'collapsible-user-message-toggle',
  optionsTestId: 'conversation-options-button',
  optionsLabel: 'Open conversation options',
};

/** Test ids changed, labels and the editor itself stayed. */
export const TEST_IDS_RENAMED: Names = {
  ...USUAL,
  sendTestId: 'composer-primary-action',
  stopTestId: 'composer-halt-action',
  turnTestIdPrefix: 'thread-item-',
  cardActionsTestId: 'approval-row',
  retryTestId: 'thread-error-again',
  collapseTestId: 'fold-user-message',
  optionsTestId: 'thread-menu',
};

/** The whole composer is another: nothing of it is found. */
export const COMPOSER_RENAMED: Names = {
  ...TEST_IDS_RENAMED,
  composerId: 'prompt-field-2',
  sendLabel: 'Go',
  stopLabel: 'Halt',
  optionsLabel: 'More',
};
