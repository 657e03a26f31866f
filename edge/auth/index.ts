/**
 * OAuth's door: how a host finds its way here, signs in with a person's approval, and shows who it is on every call.
 *
 * Decided here: clients, sign-ins, approvals, grants, tokens, connectors. Not decided here: which device a call goes to
 * (routing), what a connector may run (the workstation and its runtime), who a paired device is (fleet).
 */
export { type AuthEnv, authenticate, forgetToken, unauthorized } from './authenticate.ts';
export { Auth } from './object.ts';
export type { EdgePrincipal } from './principal.ts';
export { authRoutes } from './routes.ts';
