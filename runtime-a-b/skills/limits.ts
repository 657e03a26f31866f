/** Numbers of the skills, each with its reason. */

/** One skill's text: a module is 2 to 4 kB, and a longer one belongs into files that it names. */
export const SKILL_BYTES_MAX = 64 * 1024;
/** Skills of one project, and of the person: a list that a model reads. */
export const SKILLS_PER_SOURCE = 64;
/** Modules loaded in one call: all of ours and a project's few. */
export const LOAD_MAX = 16;
/** Characters of texts in one answer of `load`; the bound of an answer is 100,000. */
export const LOAD_CHARS_MAX = 80_000;
/** Longest title, and longest version, in a list: a few words, whatever a file says. */
export const LABEL_CHARS_MAX = 120;
/** Longest description in a list. */
export const DESCRIPTION_CHARS_MAX = 400;
