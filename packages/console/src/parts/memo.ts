import { Component, type ComponentChild } from 'preact';

/** A component that is drawn again only if `isSame` finds its properties changed. */
export function memo<P extends object>(draw: (props: P) => ComponentChild, isSame: (before: P, after: P) => boolean) {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return !isSame(this.props as P, next);
    }

    override render(props: P): ComponentChild {
      return draw(props);
    }
  };
}
