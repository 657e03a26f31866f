/** Whether the text in an agent's box is somebody's, and must be left alone. Pure. */
import type { Composer } from './composer.ts';
import { likeness, type OwnPrompt } from './own-prompts.ts';

/**
 * `own`: an earlier prompt of ours that the agent has not taken. `echo`: one that it has taken and shows again; then
 * nothing is known about its box. `nobody`: no text, or none that can be judged.
 */
export type Whose = 'somebody' | 'own' | 'echo' | 'nobody';

export function whoseText(box: Composer, prompts: readonly OwnPrompt[]): Whose {
  if (box.state !== 'draft') return 'nobody';
  const like = prompts.flatMap((prompt) => {
    const how = likeness(box.text, prompt.text);
    return how === 'no' ? [] : [{ how, taken: prompt.taken }];
  });
  // A frame holds the box of now, also when its text is ours; what stands there behind our text was typed by somebody.
  if (box.framed) return like.some(({ how }) => how === 'all') ? 'own' : 'somebody';
  if (like.length === 0) return 'somebody';
  return like.some(({ taken }) => taken) ? 'echo' : 'own';
}
