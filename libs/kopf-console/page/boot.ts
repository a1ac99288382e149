// Runs before anything is painted, in a separate script, as modules run later.

// The theme that the viewer has chosen: without this, the page would flash in the other one.
try {
  const theme = localStorage.getItem('kopf.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage, the page follows the system.
}

// Browsers ask for the icon again when the address has changed, and a relative one would lead elsewhere then.
const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
icon?.setAttribute('href', icon.href);
