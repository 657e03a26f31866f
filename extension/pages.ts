/** What each of our own pages begins with: its dress, and where it stands. */
import { tokenCss } from '../look/tokens.ts';
// In this order: a later one dresses what an earlier one left open.
import './style/ground.css';
import './style/cards.css';
import './style/controls.css';
import './style/lists.css';
import './style/steps.css';
import './style/states.css';

/** Puts the tokens on this document and returns the element that the page is rendered into. */
export function openPage(): HTMLElement {
  const tokens = new CSSStyleSheet();
  tokens.replaceSync(tokenCss(':root', 'rem'));
  document.adoptedStyleSheets = [tokens];
  return document.getElementById('app') ?? document.body;
}
