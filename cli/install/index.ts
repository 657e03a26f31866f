/** The installation on this machine: install, update, rollback, uninstall. Each can be killed and run again. */
export { install } from './install.ts';
export { managerHere, servicePlan } from './place.ts';
export { rollback } from './rollback.ts';
export { service } from './service.ts';
export { uninstall } from './uninstall.ts';
export { update } from './update.ts';
