/** One of our own icons, in the colour of the words beside it. It is not read out: the words are. */
import { ICONS, type IconName } from '../look/icons/index.ts';

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={ICONS[name]} />
    </svg>
  );
}
