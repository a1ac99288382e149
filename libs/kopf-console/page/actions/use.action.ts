import { useEffect, useState } from 'preact/hooks';
import { ApiError, post } from '../api/api.client.js';
import type { ConsoleAction, ConsoleActionAnswer, ConsoleActionRequest } from '../api/api.types.js';

/** Milliseconds without a change after which the server is asked what would be done. */
const TYPING = 200;

/** The progress of an action. */
export interface ActionState {
  /** The answer to the last dry run. */
  readonly preview?: ConsoleActionAnswer;
  /** The answer to the action itself. */
  readonly done?: ConsoleActionAnswer;
  readonly problem?: string;
  readonly isBusy?: boolean;
}

/** Requests a dry run whenever the request has changed, and the action itself by `run`. */
export function useAction(action: ConsoleAction, request: ConsoleActionRequest, onDone: () => void) {
  const [state, setState] = useState<ActionState>({});
  const key = JSON.stringify(request);
  const isDone = state.done !== undefined;
  useEffect(() => {
    if (isDone) return undefined;
    let isCurrent = true;
    const show = (change: ActionState) => {
      if (isCurrent) setState(change);
    };
    const ask = () =>
      post(action, { ...(JSON.parse(key) as ConsoleActionRequest), dryRun: true }).then(
        (preview) => show({ preview }),
        (error: unknown) => show({ problem: describe(error) }),
      );
    const timer = setTimeout(() => void ask(), TYPING);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [action, key, isDone]);
  const run = async () => {
    setState(({ preview }) => ({ preview, isBusy: true }));
    try {
      setState({ done: await post(action, { ...request, dryRun: false }) });
      onDone();
    } catch (error) {
      setState({ problem: describe(error) });
    }
  };
  return { ...state, run };
}

function describe(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  return error.status === 409 ? `${error.message} Close the dialog, look again, and repeat it.` : error.message;
}
