export const en = {
  product: 'Herdr MCP',
} as const;
