/** The user service: its units, the manager that runs them, and the watchdog's decision. */
export { LAUNCHD_LABEL, launchAgents } from './launchd.ts';
export {
  type Execute,
  execute,
  findManager,
  type ManagerOptions,
  type ServiceManager,
  type ServiceState,
} from './manager.ts';
export { cleanPath, type ServicePlan, serviceEnvironment } from './plan.ts';
export { SYSTEMD_UNIT, systemdUnits, WATCHDOG_TIMER } from './systemd.ts';
export { type WatchdogStep, type WatchdogView, watchdogStep } from './watchdog.ts';
