"""What the measurements share: processes and their CPU time, figures, a home with papers, nginx."""
