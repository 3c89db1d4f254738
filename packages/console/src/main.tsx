import { render } from 'preact';
import { App } from './app.tsx';
import { resume } from './connection.ts';

const root = document.getElementById('app');
if (!root) throw new Error('the page has no element #app');
render(<App />, root);
void resume();
