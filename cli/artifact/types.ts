import { extname } from 'node:path';
import { ARTIFACT_TYPES, type ArtifactType } from '../../contract/artifacts/index.ts';

const BY_EXTENSION: Readonly<Record<string, ArtifactType>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.txt': 'text/plain',
  '.log': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.css': 'text/css',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.gz': 'application/gzip',
  '.tgz': 'application/gzip',
  '.tar': 'application/x-tar',
};

/** The type under which a file is sent: the one that was named, else by its extension, else plain bytes. Pure. */
export function artifactType(path: string, named: string | undefined): ArtifactType | undefined {
  if (named !== undefined) return ARTIFACT_TYPES.find((known) => known === named.toLowerCase());
  return BY_EXTENSION[extname(path).toLowerCase()] ?? 'application/octet-stream';
}
