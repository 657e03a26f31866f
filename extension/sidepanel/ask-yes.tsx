/** A question that only a yes answers. Escape, and everything else, is no. */
import { useEffect, useId, useRef } from 'preact/hooks';

export function AskYes(props: { question: string; yes: string; no: string; onYes: () => void; onNo: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  const words = useId();
  useEffect(() => ref.current?.showModal(), []);
  return (
    <dialog ref={ref} aria-labelledby={words} onClose={props.onNo}>
      <p id={words}>{props.question}</p>
      <div class="line">
        <button type="button" onClick={() => ref.current?.close()}>
          {props.no}
        </button>
        <button type="button" class="primary" onClick={props.onYes}>
          {props.yes}
        </button>
      </div>
    </dialog>
  );
}
