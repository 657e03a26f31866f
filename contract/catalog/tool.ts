/** What a tool of the catalog is made of. */
import type { TObject } from 'typebox';

export interface ToolAnnotations {
  title: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** One tool as the catalog holds it; `since` marks an argument that older epochs do not have. */
export interface Tool {
  name: string;
  title: string;
  /** Facts only: hosts' safety filters react to orders and warnings, and cut long texts. */
  description: string;
  input: TObject;
  /** Arguments that a runtime epoch below the number does not know. */
  since?: Record<string, 5 | 4>;
  annotations: ToolAnnotations;
}

/** A tool as `tools/list` serves it. */
export interface PublishedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown>;
  annotations: ToolAnnotations;
}

export const READ = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
export const WRITE = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
} as const;
