import { useRef } from 'preact/hooks';
import { Icon } from '../components/icon.js';

/** Shows above the screen that the operator was updated since the page was loaded, so that the page can be too old for its answers. */
export function VersionBanner({ version }: { readonly version: string | undefined }) {
  const loaded = useRef(version);
  loaded.current ??= version;
  if (version === undefined || version === loaded.current) return null;
  return (
    <p class="banner tone-notice" role="alert">
      <Icon name="warning" />
      The operator runs nestjs-kopf {version} now, and this page is that of {loaded.current}.
      <button type="button" class="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </p>
  );
}
