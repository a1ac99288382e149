import type { ComponentChildren } from 'preact';
import { useOverview } from '../layout/overview.context.js';
import { Icon } from './icon.js';

/** Returns whether the operators run elsewhere, so that only their objects are seen. */
export function useIsObserved(): boolean {
  return useOverview()?.state === 'observed';
}

/** Shows what a screen has to say if the operators run elsewhere. */
export function ObservedNote({ children }: { readonly children: ComponentChildren }) {
  if (!useIsObserved()) return null;
  return (
    <p class="notice">
      <Icon name="watches" /> {children}
    </p>
  );
}
