import { ApiNotFoundError } from './api.errors.js';

/** Waits for the answer to a request; `undefined` if the API server has nothing of what is asked for. */
export async function ifFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiNotFoundError) return undefined;
    throw error;
  }
}
