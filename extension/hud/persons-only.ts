/** Our controls obey a person. The page's own scripts can reach them, and what those dispatch is never a trusted event. */
export function personsOnly(root: ShadowRoot): void {
  for (const kind of ['click', 'contextmenu', 'keydown']) {
    root.addEventListener(
      kind,
      (event) => {
        if (event.isTrusted) return;
        event.preventDefault();
        event.stopImmediatePropagation();
      },
      { capture: true },
    );
  }
}
