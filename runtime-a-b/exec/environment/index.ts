/** The environment in which commands run. */
export { LoginEnvironment, type LoginFacts, type LoginOptions, serviceEnvironment } from './login.ts';
export { type Probe, type ProbeOptions, probeEnvironment } from './probe.ts';
