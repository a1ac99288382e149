import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ConsoleOverview } from '../api/api.types.js';

/** The overview, which the whole page uses; undefined until it is there. */
export const OverviewContext = createContext<ConsoleOverview | undefined>(undefined);

/** Reads the overview. */
export function useOverview(): ConsoleOverview | undefined {
  return useContext(OverviewContext);
}
