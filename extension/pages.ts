/** What each of our own pages begins with: its dress, and where it stands. */
import { tokenCss } from '../look/tokens.ts';
import './pages.css';

/** Puts the tokens on this document and returns the element that the page is rendered into. */
export function openPage(): HTMLElement {
  const tokens = new CSSStyleSheet();
  tokens.replaceSync(tokenCss(':root', 'rem'));
  document.adoptedStyleSheets = [tokens];
  return document.getElementById('app') ?? document.body;
}
