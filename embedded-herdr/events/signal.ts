/** Tells listeners of something inside this process, in the order in which they came. */
export interface Signal<T> {
  /** Begins listening; the answer ends it and may be called more than once. */
  on(listener: (value: T) => void): () => void;
  emit(value: T): void;
}

export function signal<T>(): Signal<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    on(listener) {
      // A wrapper of its own, so that one function may listen twice.
      const own = (value: T): void => listener(value);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    emit(value) {
      // A copy: a listener may end itself or another while it is told.
      for (const listener of [...listeners]) listener(value);
    },
  };
}
