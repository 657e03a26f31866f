/** Routing's door: which workstation a call goes to, decided once and purely. */

export { type RoutableDevice, type Route, type RouteQuestion, type RouteRefusal, route } from './route.ts';
export { namesDevice } from './selectors.ts';
