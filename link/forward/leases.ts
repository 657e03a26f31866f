/** What the link needs from the A/B machinery: which generation takes a call, held for as long as the call runs. */

export interface Lease {
  /** `a` or `b`. */
  generation: string;
  /** `http://127.0.0.1:<port>` */
  endpoint: string;
  /** The boot of the process that serves there. */
  bootId: string;
  /** Gives the lease back. Calling it again does nothing. */
  release(): void;
}

export interface Leases {
  /** A lease on the active generation, `undefined` while none is active. */
  active(): Promise<Lease | undefined>;
  /** A lease on a generation by name, active or not; `undefined` when it does not run any more. */
  named(generation: string): Promise<Lease | undefined>;
}
