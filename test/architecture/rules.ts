/** Who may import whom (design, section 2), as a pure function over two paths. */

const PLANES = [
  'contract',
  'look',
  'local',
  'edge',
  'link',
  'runtime-a-b',
  'embedded-herdr',
  'broker',
  'extension/native-host',
  'extension',
  'cli',
  'scripts',
  'test',
] as const;
type Plane = (typeof PLANES)[number];

const MAY: Record<Plane, readonly Plane[]> = {
  contract: [],
  look: [],
  local: ['contract'],
  edge: ['contract', 'look'],
  extension: ['contract', 'look'],
  link: ['contract', 'local'],
  'runtime-a-b': ['contract', 'local'],
  'embedded-herdr': ['contract', 'local'],
  broker: ['contract', 'local'],
  'extension/native-host': ['contract', 'local'],
  cli: ['contract', 'look', 'local'],
  scripts: PLANES,
  test: PLANES,
};

/** Single files of other planes that a plane may use beyond {@link MAY}. */
const DOORS: Partial<Record<Plane, readonly string[]>> = {
  link: ['runtime-a-b/generations/lease.ts'],
  broker: ['runtime-a-b/tools/reading/index.ts'],
  cli: [
    'link/index.ts',
    'runtime-a-b/generations/index.ts',
    'runtime-a-b/state/index.ts',
    'runtime-a-b/herdr/index.ts',
    'embedded-herdr/index.ts',
    'extension/native-host/index.ts',
  ],
};

export function planeOf(file: string): Plane | null {
  return PLANES.find((plane) => file.startsWith(`${plane}/`)) ?? null;
}

/** Why this import is forbidden, or null when it is fine. */
export function forbidden(from: string, to: string): string | null {
  const source = planeOf(from);
  const target = planeOf(to);
  if (source === null) return null; // configuration files at the top
  if (target === null) return `${from} imports ${to}, which belongs to no plane`;
  if (source === 'scripts' || source === 'test') return null;
  if (source !== target) {
    if (MAY[source].includes(target)) return null;
    if (DOORS[source]?.includes(to)) return null;
    return `${from} imports ${to}: ${source} may not import ${target} there`;
  }
  return pastTheDoor(from, to) ? `${from} reaches past the door of ${folderOf(to)}: ${to}` : null;
}

/** Contract is shared text, its folders are entered by file; elsewhere another folder is entered by its index only. */
function pastTheDoor(from: string, to: string): boolean {
  if (planeOf(from) === 'contract') return false;
  const inside = folderOf(to);
  const plane = planeOf(to) as string;
  if (inside === plane) return false; // files directly in the plane are its common ground
  if (from.startsWith(`${inside}/`)) return false;
  return !/\/index\.tsx?$/.test(to) && !DOORS.link?.includes(to);
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/'));
}
