/** The field for words to an agent, or for one line to a terminal. It is emptied only when its words are known to be there. */
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { INPUT_CHARS_MAX, PROMPT_CHARS_MAX } from '../../contract/control/index.ts';
import { Icon } from '../icon.tsx';
import { type Act, isOpen, type WriteAction, wordsBack } from './desk/index.ts';
import { useUi } from './ui.ts';

interface WriteProps {
  action: Exclude<WriteAction, 'interrupt'>;
  name: string;
  act: Act | undefined;
  free: boolean;
  send(action: WriteAction, text: string): void;
}

export function Write({ action, name, act, free, send }: WriteProps) {
  const { t } = useUi();
  const id = useId();
  const text = useSignal(wordsBack(act, action));
  const seen = useRef(act);
  useEffect(() => {
    const before = seen.current;
    seen.current = act;
    if (act === undefined || before === act || act.action !== action) return;
    // Away with words that are on their way, back with words that were not typed.
    if (isOpen(act)) text.value = '';
    else if (act.text !== '' && text.value === '') text.value = act.text;
  }, [act]);
  const ready = free && text.value.trim() !== '';
  const submit = (event: Event) => {
    event.preventDefault();
    if (ready) send(action, text.value);
  };
  const field = {
    id,
    value: text.value,
    maxLength: action === 'agent_prompt' ? PROMPT_CHARS_MAX : INPUT_CHARS_MAX,
    onInput: (event: { currentTarget: { value: string } }) => (text.value = event.currentTarget.value),
  };
  const prompt = action === 'agent_prompt';
  return (
    <form class="write" onSubmit={submit}>
      <label for={id} class="small">
        {t(prompt ? 'prompt' : 'input', { name })}
      </label>
      {prompt ? (
        <textarea rows={3} {...field} />
      ) : (
        <input type="text" autocomplete="off" spellcheck={false} {...field} />
      )}
      <button type="submit" class="primary small" disabled={!ready}>
        <Icon name="send" />
        {t(prompt ? 'promptSend' : 'inputSend')}
      </button>
    </form>
  );
}
