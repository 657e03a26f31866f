/** Releases: what one is made of, immutable folders of them, and the link to the one that is installed. */
export { packageRoot, type ReleaseContent, releaseContent } from './content.ts';
export {
  currentLink,
  currentRelease,
  listReleases,
  makeCurrent,
  noteRevision,
  placeRelease,
  Release,
  releaseFolder,
  removeReleasesExcept,
} from './place.ts';
