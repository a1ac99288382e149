import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../components/icon.js';
import { stream } from '../live/live.stream.js';
import { useStore } from '../platform/store.js';

/** Milliseconds that an interruption lasts before it is worth a line. */
const TOLERATED = 2000;

/** Shows above the screen that it is out of date, while the operator cannot be reached. */
export function ConnectionBanner() {
  const state = useStore(stream.state);
  const [lasts, setLasts] = useState(false);
  useEffect(() => {
    setLasts(false);
    if (state !== 'lost') return undefined;
    const timer = setTimeout(() => setLasts(true), TOLERATED);
    return () => clearTimeout(timer);
  }, [state]);
  if (state !== 'lost' || !lasts) return null;
  return (
    <p class="banner tone-notice" role="alert">
      <Icon name="warning" />
      The operator cannot be reached. This is its last known state; the page continues by itself when the operator is
      back.
    </p>
  );
}
