/** Asked of a tab that still runs an older page script: would a reload lose anything? Reads only; false when it cannot tell. */
import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script';
import { chatgpt } from '../sites/chatgpt/index.ts';

export default defineUnlistedScript(() => {
  const adapter = chatgpt({
    document,
    address: () => new URL(location.href),
    ask: () => Promise.reject(new Error('nothing is asked of the site here')),
    now: () => Date.now(),
    pause: () => Promise.resolve(),
  });
  return (
    adapter.draft().found === '' && !adapter.attached() && adapter.streaming().found === false && !adapter.cardWaiting()
  );
});
