/**
 * The pages that a person sees at the edge: sign-in, its errors, and the pairing address opened in a browser.
 *
 * Rendering only. Who may sign in, what a code is worth and when a request ends is decided in `auth`; nothing here reads
 * storage. No page can be framed, loads anything from elsewhere, or shows a stranger's text unescaped.
 */
export { renderEnded, renderPairPage, renderProblem } from './plain.tsx';
export { renderSignIn, type SignIn } from './sign-in.tsx';
export { type SignInProblem, WORDS, type Words } from './words.ts';
