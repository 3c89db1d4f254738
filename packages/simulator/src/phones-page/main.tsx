import { render } from 'preact';
import { App } from './app.tsx';

/** The page on which people play the phones. */
const root = document.getElementById('app');
if (root) render(<App />, root);
