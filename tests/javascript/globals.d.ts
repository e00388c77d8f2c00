// What the vendored scripts leave in a page, as far as ours use it.

declare const htmx: {
  process(element: Element): void;
  ajax(method: string, address: string, options: { target: string | Element | null; swap?: string }): Promise<void>;
};

interface Element {
  _htmx?: { sse?: { delayCanceller?: () => void } };
}

declare var vega: any;
declare var vegaLite: any;
declare var vegaInterpreter: any;
