// Style sheets are packed beside the script.
declare module '*.css';
