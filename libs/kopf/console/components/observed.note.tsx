import type { ComponentChildren } from 'preact';
import { useOverview } from '../layout/overview.context.js';
import { Icon } from './icon.js';

/** Tells whether the operators run elsewhere, so that only their objects are seen. */
export function useIsObserved(): boolean {
  return useOverview()?.state === 'observed';
}

/** Says what a screen shows if the operators run elsewhere. */
export function ObservedNote({ children }: { readonly children: ComponentChildren }) {
  if (!useIsObserved()) return null;
  return (
    <p class="notice">
      <Icon name="watches" /> {children}
    </p>
  );
}
