/** Long work in short steps: at each `yield` the caller may do something else first. */
export type Steps<T> = Generator<undefined, T>;

/** Does all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does one step at a time; timers and requests get their turn in between. */
export async function finishInTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
