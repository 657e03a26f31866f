/** Who calls over MCP, as the edge knows it. */
export interface EdgePrincipal {
  kind: 'connector' | 'automation';
  id: string;
  /** For lists and logs; never an authority. */
  label: string;
  clientId: string;
  /** The approval allows reads only. */
  readOnly: boolean;
  /** The only device that may be used, when the approval names one. */
  deviceId?: string;
}
