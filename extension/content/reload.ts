/**
 * Loading this page anew, and knowing whether that came to be. A site may ask a person whether to leave; while it asks,
 * nothing of this page runs. Chromium says by the reload's own signal that the person has stayed.
 */

/** False: the page stays, because a person wanted it so. True: it is being loaded anew. */
export function reloadPage(): boolean {
  let leaving: AbortSignal | null = null;
  const begins = ({ navigationType, signal }: NavigateEvent) => {
    if (navigationType === 'reload') leaving = signal;
  };
  navigation.addEventListener('navigate', begins);
  location.reload();
  navigation.removeEventListener('navigate', begins);
  return (leaving as AbortSignal | null)?.aborted !== true;
}

/** Calls `stayed` when somebody else loads this page anew, its site asks, and the page is still there after it has. */
export function watchLeaving(stayed: () => void, ended: AbortSignal): void {
  const asked = (event: BeforeUnloadEvent) => {
    // Runs when the question is answered, after all of the site's own listeners.
    setTimeout(() => (event.defaultPrevented || event.returnValue !== '') && stayed(), 0);
  };
  addEventListener('beforeunload', asked, { once: true, signal: ended });
}
