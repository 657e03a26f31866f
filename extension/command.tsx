/** Something to type into a terminal, with a button that copies it. */
import { useSignal } from '@preact/signals';
import { type Language, say } from '../look/words/index.ts';
import { Icon } from './icon.tsx';

export function Command({ language, text }: { language: Language; text: string }) {
  const copied = useSignal(false);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      copied.value = true;
    } catch {
      copied.value = false; // the browser forbids it: the text stands there to be marked by hand
    }
  }
  return (
    <div class="command">
      <code>{text}</code>
      <button
        type="button"
        class="plain small"
        aria-label={say(language, 'options', 'copyLabel', { command: text })}
        onClick={() => void copy()}
      >
        <Icon name={copied.value ? 'check' : 'copy'} />
        <span aria-live="polite">{say(language, 'options', copied.value ? 'copied' : 'copy')}</span>
      </button>
    </div>
  );
}
