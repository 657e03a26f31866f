/** The environment in which commands run. */
export { LoginEnvironment, type LoginFacts, type LoginOptions, serviceEnvironment } from './login.ts';
export { PROBE_MARK, type Probe, type ProbeOptions, parse, probeEnvironment } from './probe.ts';
