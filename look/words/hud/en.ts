/** The bar on the chat page and the Queue button. */
export const en = {
  handoffLater: 'Handoff is not part of this version yet.',
} as const;
