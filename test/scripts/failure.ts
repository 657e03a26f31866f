import { LocalError } from '../../local/error/index.ts';

/** What somebody is told when it fails; anything that is no word to a person, and that it does not fail, is thrown on. */
export const failure = async (going: Promise<unknown>): Promise<LocalError> => {
  const error = await going.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof LocalError) return error;
  throw error ?? new Error('it did not fail');
};
