/** Rejects with a `TimeoutError` when the work takes longer; the work itself is not stopped. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const expire = (): void => reject(new DOMException(`no answer within ${ms} ms`, 'TimeoutError'));
  const timer = setTimeout(expire, Math.max(0, ms));
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
