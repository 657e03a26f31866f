/** The door to a device's object: its class, and what it and the Worker say to each other. */
export { uncertain } from './failures.ts';
export { Workstation, type WorkstationEnv } from './object.ts';
export { LINK_ID_HEADER } from './reception.ts';
export type { CallInput, CallReply, Receipt, ReceiptQuery, WorkstationStatus } from './types.ts';
