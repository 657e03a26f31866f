/** Words about a handoff on the page. English names the keys. */
export const en = {
  resume: 'Resume handoff',
  'phase.preparing': 'Handoff: asking the workstation for the chain …',
  'phase.summarising': 'Handoff: this chat’s own model sums it up …',
  'phase.delivering': 'Handoff: giving the message to the browser …',
  'phase.observing': 'Handoff: the new chat is being opened …',
  'phase.verifying': 'Handoff: looking for the message in the new chat …',
  'phase.uncertain':
    'Handoff uncertain: {why}. The message may be in the new chat. Nothing is sent again; Resume looks for it.',
  'phase.failed': 'Handoff failed: {why}. This chat stays the place of the work.',
  'phase.failedCopy': 'Handoff failed: {why}. Nothing was delivered; the prompt can be pasted into a new chat by hand.',
  'phase.committed': 'This work goes on in another chat.',
  open: 'Open it',
  copy: 'Copy prompt',
  copied: 'The prompt is in the clipboard.',
  notCopied: 'The clipboard could not be written.',
} as const;

export type HandoffWords = Readonly<Record<keyof typeof en, string>>;
