/** The text of ours that is on its way into the page, while it is. */
import type { DeliveryOutcome } from '../messages.ts';

export function createSending() {
  let under: string | null = null;
  return {
    text: () => under,
    isOn: () => under !== null,
    during(text: string, outcome: Promise<DeliveryOutcome>): Promise<DeliveryOutcome> {
      under = text;
      return outcome.finally(() => {
        under = null;
      });
    },
  };
}
