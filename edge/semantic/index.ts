/**
 * The semantic pool's door: a few small models that every paired workstation may ask without holding their keys.
 *
 * Decided here: which provider is asked, for how long, what of its answer is believed. Deliberately not here: what is
 * done with an answer. It is advice; without any provider, or when all fail, the product works as before.
 */
export { forgetCooldowns, type SemanticEnv, semanticRoutes } from './routes.ts';
