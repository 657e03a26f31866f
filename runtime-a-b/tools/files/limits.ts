/** Numbers of the file tools, each with its reason. What the schema bounds is not repeated here. */

const KiB = 1024;
const MiB = 1024 * KiB;

/** `herdr_fs_read` without `end_line` gives this many lines (reference: runtime 1.6). */
export const READ_LINES = 200;

/** `herdr_fs_read` without `max_bytes` gives this much text, in bytes. */
export const READ_BYTES = 16 * KiB;

/** Files up to this size are read whole and at once: cheaper than the thread pool, and no pause that a caller feels. */
export const SMALL_FILE_BYTES = 256 * KiB;

/** Larger files are scanned in pieces of this size, so that other calls run in between. */
export const SCAN_CHUNK_BYTES = 1 * MiB;

/** A larger file is not scanned: counting its lines would take longer than a call may. */
export const READ_FILE_BYTES_MAX = 1024 * MiB;

/** UTF-16 has no cheap line index, so such files are decoded whole, up to this size. */
export const UTF16_FILE_BYTES_MAX = 32 * MiB;

/** Every so many lines of a large file its byte offset is kept, so that a page costs its own lines. */
export const LINE_INDEX_STEP = 1_024;

/** Scans of large files that are kept for the next page. */
export const SCANS_KEPT = 16;

/** A file that is changed must fit in memory a few times over. */
export const EDIT_FILE_BYTES_MAX = 32 * MiB;

/** `herdr_fs_list` without `max_entries`. */
export const LIST_ENTRIES = 200;

/** Directories that one recursive list visits; a tree with more is cut and said so. */
export const LIST_FOLDERS_MAX = 20_000;

/** `herdr_fs_grep` without `max_matches`, and without `max_bytes`. */
export const GREP_MATCHES = 50;
export const GREP_FILE_BYTES = 256 * KiB;

/** How long a search may run, in ms (reference: runtime 1.8). */
export const GREP_MS = 5_000;

/** What a search may print before it is ended, in bytes. */
export const GREP_OUTPUT_BYTES = 8 * MiB;

/** A matching line is shown up to this many characters around the match; minified files have lines of megabytes. */
export const GREP_LINE_CHARS = 500;

/** Above this many matches they are grouped by file as one text, which halves the answer (reference: runtime 1.8). */
export const GREP_COMPACT_ABOVE = 24;

/** `herdr_fs_image` without `max_bytes`. */
export const IMAGE_BYTES = 2 * MiB;

/** Images up to this size are sent as they are: with base64 and envelope they fit one small frame. */
export const IMAGE_INLINE_BYTES = 160 * KiB;

/** Larger pictures are refused before decoding: each pixel costs four bytes of memory. */
export const IMAGE_PIXELS_MAX = 40_000_000;

/** Preview: longest side and quality to start with, how both shrink, and where it gives up (reference: runtime 1.10). */
export const PREVIEW = {
  side: 1_600,
  quality: 82,
  qualityStep: 10,
  qualityMin: 52,
  shrink: 0.75,
  smallQuality: 72,
  sideMin: 320,
} as const;

/** Near misses shown for a text that was not found. */
export const NEAR_MISSES = 3;

/** Positions listed for a text that occurs more than once. */
export const OCCURRENCES_SHOWN = 20;

/** Evidence quotes a line up to this many characters. */
export const EVIDENCE_CHARS = 300;

/** Lines of a file in which near misses are looked for; above it only whole equal lines count. */
export const NEAR_MISS_LINES_MAX = 200_000;

/** Longest path inside a patch, in characters: `PATH_MAX`, and what the catalog takes as a path. */
export const PATH_CHARS_MAX = 4_096;

/** Files that one patch may name. */
export const PATCH_FILES_MAX = 500;

/**
 * How often a change is built anew when a file changed under it. Two generations that each work off a queue of changes of one
 * file, as in the moment of a promotion, take the other's chance in about two of five tries; after ten somebody else writes
 * all the time.
 */
export const COMMIT_TRIES = 10;

/** How long a change waits for the one of the other generation, in ms, and how often it looks. */
export const COMMIT_LOCK_MS = 5_000;
export const COMMIT_LOCK_POLL_MS = 5;

/** A text file outside every project, in bytes: a note or a configuration, no log (reference 2.3). */
export const TEXT_FILE_BYTES_MAX = 262_144;
